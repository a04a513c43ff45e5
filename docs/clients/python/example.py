"""Reads a transcript, runs a job and follows its events. KEY is an API key, STENO_URL where the service is."""

import os

from steno_client import Steno, StenoError

steno = Steno(os.environ.get("STENO_URL", "http://127.0.0.1:3000"), os.environ["KEY"])

transcript = steno.getTranscript(videoId="lighthouse1", lang="en")
print(f"{transcript['title']}: {len(transcript['segments'])} lines")

subtitles = steno.getTranscript(videoId="lighthouse1", format="srt")
print(subtitles.splitlines()[1])

try:
    steno.getTranscript(videoId="private-001")
except StenoError as error:
    print(error.status, error.code, error.details["reason"])

job = steno.createJob(ids=["lighthouse1", "languages-6"])
for event, data in steno.events(job["job_id"]):
    if event == "job":
        print(event, data["status"])

for result in sorted(steno.getJobResults(jobId=job["job_id"])["results"], key=lambda result: result["reference"]):
    print(result["reference"], result["status"], result["credits_charged"])

print("used", steno.getUsage(days=1)["requests"], "requests")
