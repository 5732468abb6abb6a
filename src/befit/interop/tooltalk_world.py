"""A simulated ToolTalk service: accounts, alarms, calendars, mail, messages, reminders, weather.

Used as the Python of a world (`befit.interop.tooltalk_world:answer`). The state
holds the databases, who is logged in, the time, and the ids that the recorded
conversation gave to new records, so that its later calls find them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from befit.core.record import Json

State = dict[str, Any]
Given = dict[str, Any]


class ServiceError(Exception):
    """What the service refuses; its text is the tool's error."""


def answer(name: str, given: Given, state: State) -> Json:
    """Answer one call, changing `state` as the service would.

    Raises:
        ServiceError: the call is refused.
    """
    call = _CALLS.get(name)
    if call is None:
        raise ServiceError(f"there is no {name}")
    return call(given, state)


def _user(given: Given, state: State) -> str:
    if state.get("user") is None or given.get("session_token") != state.get("token"):
        raise ServiceError("Invalid session token.")
    return str(state["user"])


def _table(name: str, given: Given, state: State) -> dict[str, Any]:
    user = _user(given, state)
    table: dict[str, Any] = state["databases"][name].setdefault(user, {})
    return table


def _account(username: str, state: State) -> dict[str, Any]:
    found: dict[str, Any] | None = state["databases"]["Account"].get(username)
    if found is None:
        raise ServiceError("The username does not exist.")
    return found


def _own(given: Given, state: State, *, password: str | None = None) -> dict[str, Any]:
    account = _account(_user(given, state), state)
    if password is not None and account["password"] != given.get(password):
        raise ServiceError("The password is incorrect.")
    return account


def _new_id(name: str, state: State) -> str:
    waiting = state["ids"].get(name)
    if waiting:
        return str(waiting.pop(0))
    state["made"] = state.get("made", 0) + 1
    return f"new-{state['made']:04d}"


def _record(name: str, key: str, given: Given, state: State) -> dict[str, Any]:
    found: dict[str, Any] | None = _table(name, given, state).get(str(given.get(key)))
    if found is None:
        raise ServiceError(f"There is no record with this {key}.")
    return found


def _done() -> Json:
    return {"status": "success"}


def _shown(account: dict[str, Any]) -> Json:
    return {name: account.get(name) for name in ("username", "email", "phone", "name")}


def _creator(api: str, database: str, key: str, **more: Json) -> Callable[[Given, State], Json]:
    def create(given: Given, state: State) -> Json:
        table = _table(database, given, state)
        new = _new_id(api, state)
        fields = {name: value for name, value in given.items() if name != "session_token"}
        table[new] = {key: new, **fields, **more}
        return {key: new}

    return create


def _deleter(database: str, key: str) -> Callable[[Given, State], Json]:
    def delete(given: Given, state: State) -> Json:
        _record(database, key, given, state)
        del _table(database, given, state)[given[key]]
        return _done()

    return delete


def _between(value: Json, low: Json, high: Json) -> bool:
    text = str(value)
    return (low is None or text >= str(low)) and (high is None or text <= str(high))


def _holds(record: dict[str, Any], query: Json) -> bool:
    return query is None or str(query).lower() in " ".join(map(str, record.values())).lower()


def _find_alarms(given: Given, state: State) -> Json:
    low, high = given.get("start_range"), given.get("end_range")
    alarms = _table("Alarm", given, state).values()
    return {"alarms": [alarm for alarm in alarms if _between(alarm["time"], low, high)]}


def _query_calendar(given: Given, state: State) -> Json:
    low, high = given.get("start_time"), given.get("end_time")
    events = _table("Calendar", given, state).values()
    return {"events": [event for event in events if _between(event["start_time"], low, high)]}


def _modify_event(given: Given, state: State) -> Json:
    event = _record("Calendar", "event_id", given, state)
    changed = {name[4:]: value for name, value in given.items() if name.startswith("new_")}
    event.update(changed)
    return _done()


def _complete_reminder(given: Given, state: State) -> Json:
    _record("Reminder", "reminder_id", given, state)["status"] = "complete"
    return _done()


def _search_inbox(given: Given, state: State) -> Json:
    return {
        "emails": [
            mail
            for mail in _table("Email", given, state).values()
            if given.get("sender") in {None, mail.get("sender")}
            and _holds(mail, given.get("query"))
        ]
    }


def _search_messages(given: Given, state: State) -> Json:
    low, high = given.get("start_date"), given.get("end_date")
    return {
        "messages": [
            message
            for message in _table("Message", given, state).values()
            if given.get("sender") in {None, message.get("sender")}
            and _holds(message, given.get("query"))
            and _between(message.get("timestamp"), low, high)
        ]
    }


def _weather(given: Given, state: State) -> dict[str, Any]:
    place = str(given.get("location", "")).lower()
    found: dict[str, Any] | None = state["databases"]["Weather"].get(place)
    if found is None:
        raise ServiceError("The location is unknown.")
    return found


def _current_weather(given: Given, state: State) -> Json:
    return {"weather": _weather(given, state).get(state["now"][:10])}


def _forecast(given: Given, state: State) -> Json:
    days = _weather(given, state)
    return {"forecast": [days[day] for day in sorted(days) if day > state["now"][:10]][:3]}


def _historic(given: Given, state: State) -> Json:
    place = state["databases"]["HistoricWeather"].get(str(given.get("location", "")).lower(), {})
    return {"weather": place.get(str(given.get("month", "")).lower())}


def _login(given: Given, state: State) -> Json:
    account = _account(str(given.get("username")), state)
    if account["password"] != given.get("password"):
        raise ServiceError("The password is incorrect.")
    state["user"], state["token"] = account["username"], _new_id("UserLogin", state)
    return {"session_token": state["token"]}


def _logout(given: Given, state: State) -> Json:
    _user(given, state)
    state["user"] = state["token"] = None
    return _done()


def _register(given: Given, state: State) -> Json:
    accounts = state["databases"]["Account"]
    if given.get("username") in accounts:
        raise ServiceError("The username already exists.")
    accounts[given["username"]] = dict(given)
    state["user"], state["token"] = given["username"], _new_id("RegisterUser", state)
    return {"session_token": state["token"], "user": _shown(accounts[given["username"]])}


def _delete_account(given: Given, state: State) -> Json:
    account = _own(given, state, password="password")  # noqa: S106  # the name of an argument
    del state["databases"]["Account"][account["username"]]
    state["user"] = state["token"] = None
    return _done()


def _change_password(given: Given, state: State) -> Json:
    _own(given, state, password="old_password")["password"] = given["new_password"]  # noqa: S106  # the name of an argument
    return _done()


def _update_account(given: Given, state: State) -> Json:
    account = _own(given, state, password="password")  # noqa: S106  # the name of an argument
    names = {"new_email": "email", "new_phone_number": "phone", "new_name": "name"}
    account.update({own: given[new] for new, own in names.items() if new in given})
    return _done()


def _send_code(given: Given, state: State) -> Json:
    account = _account(str(given.get("username")), state)
    if given.get("email") not in {None, account["email"]}:
        raise ServiceError("The email is incorrect.")
    return _done()


def _reset_password(given: Given, state: State) -> Json:
    _account(str(given.get("username")), state)["password"] = given["new_password"]
    return _done()


def _query_user(given: Given, state: State) -> Json:
    _user(given, state)
    wanted = {name: given[name] for name in ("username", "email") if name in given}
    accounts = state["databases"]["Account"].values()
    found = [a for a in accounts if all(a.get(name) == value for name, value in wanted.items())]
    return {"users": [_shown(account) for account in found]}


_CALLS: dict[str, Callable[[Given, State], Json]] = {
    "AddAlarm": _creator("AddAlarm", "Alarm", "alarm_id"),
    "DeleteAlarm": _deleter("Alarm", "alarm_id"),
    "FindAlarms": _find_alarms,
    "CreateEvent": _creator("CreateEvent", "Calendar", "event_id"),
    "DeleteEvent": _deleter("Calendar", "event_id"),
    "ModifyEvent": _modify_event,
    "QueryCalendar": _query_calendar,
    "AddReminder": _creator("AddReminder", "Reminder", "reminder_id", status="pending"),
    "CompleteReminder": _complete_reminder,
    "DeleteReminder": _deleter("Reminder", "reminder_id"),
    "GetReminders": lambda given, state: {
        "reminders": list(_table("Reminder", given, state).values())
    },
    "SendEmail": _creator("SendEmail", "Sent", "email_id"),
    "SearchInbox": _search_inbox,
    "SendMessage": _creator("SendMessage", "Sent", "message_id"),
    "SearchMessages": _search_messages,
    "CurrentWeather": _current_weather,
    "ForecastWeather": _forecast,
    "HistoricWeather": _historic,
    "UserLogin": _login,
    "LogoutUser": _logout,
    "RegisterUser": _register,
    "DeleteAccount": _delete_account,
    "ChangePassword": _change_password,
    "UpdateAccountInformation": _update_account,
    "SendVerificationCode": _send_code,
    "ResetPassword": _reset_password,
    "QueryUser": _query_user,
    "GetAccountInformation": lambda given, state: {"user": _shown(_own(given, state))},
}
