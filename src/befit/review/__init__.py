"""Blind review by people: studies, sealed identities, votes with reasons, agreement, ratings."""
