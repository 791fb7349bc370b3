"""The codes with which WebSockets of the change log are closed (docs/notifications.md). 4000 to 4999 are for applications."""

from typing import Final

#: The server stops: connect again.
SERVICE_RESTART: Final = 1012
#: The client reads too slowly, or the catalog cannot be read: connect again later.
TRY_AGAIN_LATER: Final = 1013
#: As the status 401: the token has ended, and opens no connection any more.
TOKEN_ENDED: Final = 4401
#: As the status 403: the access or the rights of the user have changed. Connect again: what may be read may differ.
RIGHTS_CHANGED: Final = 4403
