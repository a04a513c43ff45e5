"""Client of the Steno API: `Steno` for synchronous programs, `AsyncSteno` for asynchronous ones."""

from .async_client import AsyncSteno as AsyncSteno
from .client import Steno as Steno
from .errors import ReceiptVerificationError as ReceiptVerificationError
from .errors import StenoConnectionError as StenoConnectionError
from .errors import StenoError as StenoError
from .errors import WebhookVerificationError as WebhookVerificationError
from .generated import models as models
from .generated.errors import *  # noqa: F403
from .generated.facts import VERSION as __version__
from .jobs import FollowedResult as FollowedResult
from .jobs import JobEvent as JobEvent
from .jobs import JobItemEvent as JobItemEvent
from .jobs import JobStatusEvent as JobStatusEvent
from .retries import Retries as Retries
from .verification.receipt import Receipt as Receipt
from .verification.receipt import verify_receipt as verify_receipt
from .verification.webhook import verify_webhook as verify_webhook
