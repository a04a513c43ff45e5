# Made from docs/openapi.json by `npm run clients`.
VERSION = "1.1.0"

#: The requests that take an `Idempotency-Key`, by method and path.
IDEMPOTENT = frozenset(
    [
        "GET /v1/transcripts/{videoId}",
        "GET /v1/transcripts/{videoId}/raw",
        "POST /v1/transcripts",
        "GET /v1/transcripts/{videoId}/chunks",
        "POST /v1/summarize",
        "POST /v1/chapters",
        "POST /v1/ask",
        "POST /v1/search",
        "POST /v1/quotes",
        "POST /v1/clips",
        "POST /v1/repurpose",
        "POST /v1/translate",
        "POST /v1/jobs",
        "POST /v1/jobs/{jobId}/cancel",
        "POST /v1/jobs/{jobId}/retry",
        "GET /v1/playlists/{playlistId}",
        "POST /v1/playlists/{playlistId}/transcripts",
        "GET /v1/channels/{channelId}",
        "POST /v1/channels/{channelId}/transcripts",
        "GET /v1/library/search",
        "POST /v1/library/ask",
        "POST /v1/webhooks",
        "POST /v1/webhooks/signing-secret/rotate",
        "POST /v1/webhooks/{webhookId}/rotate-secret",
        "POST /v1/webhooks/{webhookId}/test",
        "POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
        "POST /v1/jobs/{jobId}/deliveries/{deliveryId}/replay",
        "POST /v1/webhooks/{webhookId}/recover",
        "POST /v1/follows",
        "POST /v1/follows/{followId}/pause",
        "POST /v1/follows/{followId}/resume",
        "POST /v1/follows/{followId}/check",
        "POST /v1/follows/{followId}/feed/rotate",
    ]
)

#: The members of the result of each AI operation, whose hash is in its receipt.
RESULT_MEMBERS: dict[str, list[str]] = {
    "summarize": ["summary"],
    "chapters": ["chapters", "source"],
    "ask": ["answer", "citations", "grounded"],
    "search": ["results"],
    "quotes": ["quotes"],
    "clips": ["clips"],
    "repurpose": ["content"],
    "translate": ["translated", "source_language", "code", "message", "segment_count", "segments"],
}
