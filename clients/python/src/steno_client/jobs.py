"""What a job tells while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .generated import models
from .generated.models import JobResult


@dataclass(frozen=True)
class JobStatusEvent:
    """A new status of the job. `id` is where `watch_job` goes on."""

    id: str
    data: models.JobStatusEvent
    event: Literal["job"] = "job"


@dataclass(frozen=True)
class JobItemEvent:
    """A new status of items of the job. `id` is where `watch_job` goes on."""

    id: str
    data: models.JobItemEvent
    event: Literal["item"] = "item"


JobEvent = JobStatusEvent | JobItemEvent

#: Kinds may be added: those that are not known here are left out.
EVENT_KINDS = {"job": JobStatusEvent, "item": JobItemEvent}

FIRST_POLL = 0.25
LONGEST_POLL = 5.0
SILENT_PAUSE = 1.0
RESULTS_OF_PAGE = 100
RUNNING = ("queued", "processing")


@dataclass(frozen=True)
class FollowedResult:
    """A result of a job, and where `follow_job` goes on: behind the page before it."""

    result: JobResult
    cursor: str | None
