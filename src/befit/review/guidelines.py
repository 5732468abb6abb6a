"""What reviewers are told where a study says nothing of its own: how to judge, two worked examples.

They speak of no subject, so they fit any study of pairs; a study's own replace them.
"""

from __future__ import annotations

GUIDELINES = """\
Two answers to one question stand side by side. Say which one **you** would rather have been given.

- First ask whether it does what was asked, then whether it is right, then how it is written.
- A longer answer is not a better one, and neither is one with more headings or lists.
- "I do not know" is better than something invented.
"""

WORKED = (
    {
        "question": "Our shop closes at 18:00 on weekdays and at 14:00 on Saturdays. A customer"
        " asks: can I come at five on Saturday?",
        "left": "Thank you for your question! We are always glad about visitors. Our team looks"
        " forward to seeing you at five on Saturday.",
        "right": "No, on Saturdays we close at 14:00. On weekdays you can come until 18:00.",
        "verdict": "right",
        "why": "A is friendly and wrong. B is right and says what is possible instead.",
    },
    {
        "question": "When was this letter written? (The letter bears no date.)",
        "left": "It was written on 12 March.",
        "right": "The letter does not say. Most likely it was written on 3 May.",
        "verdict": "both_bad",
        "why": "Both invent a date; B says first that there is none, and then invents one all the"
        " same.",
    },
)
"""The fields of `settings.Worked`."""
