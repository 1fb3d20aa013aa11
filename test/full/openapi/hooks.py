"""What schemathesis can't know of the gateway: models that there are, media that can be read, and safe addresses."""

import dataclasses
import os
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

AUDIO = Path(os.environ["OPENAPI_AUDIO"]).read_bytes()
VIDEO = Path(os.environ["OPENAPI_VIDEO"]).read_bytes()
IMAGE = Path(os.environ["OPENAPI_IMAGE"]).read_bytes()
OWN_KEY = os.environ["OPENAPI_KEY_ID"]
NO_KEY = "key_" + "0" * 32

# Whatever is sent to webhooks or fetched stays on this machine.
schemathesis.openapi.format("uri", st.just(os.environ["OPENAPI_ADDRESS"]))
schemathesis.openapi.media_type("audio/wav", st.sampled_from([AUDIO, b"no audio"]))
schemathesis.openapi.media_type("audio/mpeg", st.just(AUDIO))
# As the document writes the types of what is to be transcribed.
schemathesis.openapi.media_type("audio/wav, audio/mpeg", st.sampled_from([AUDIO, b"no audio"]))
schemathesis.openapi.media_type("video/mp4", st.sampled_from([VIDEO, b"no video"]))

# As the document writes the types of a form's images.
IMAGES = st.sampled_from([IMAGE, b"no image"])
for images in ("image/png", "image/jpeg", "image/webp", "image/png, image/jpeg, image/webp"):
    schemathesis.openapi.media_type(images, IMAGES)

MODELS = {
    "/chat/completions": ["sim-chat", "sim-code"],
    "/responses": ["sim-code"],
    "/messages": ["sim-chat", "sim-code"],
    "/messages/count_tokens": ["sim-chat", "sim-code"],
    "/responses/input_tokens": ["sim-code"],
    "/responses/compact": ["sim-code"],
    "/completions": ["sim-chat", "sim-code"],
    "/embeddings": ["sim-embedding"],
    "/moderations": ["sim-moderation"],
    "/rerank": ["sim-rerank"],
    "/audio/speech": ["sim-speech"],
    "/audio/transcriptions": ["sim-transcription"],
    "/audio/translations": ["sim-transcription"],
    "/images/generations": ["sim-image"],
    "/images/edits": ["sim-image"],
    "/images/variations": ["sim-image"],
    "/videos": ["sim-video-fast"],
    "/video/generations": ["sim-video-fast", "sim-avatar-video", "sim-avatar-image"],
    "/svctalk/generate": ["sim-avatar-talk"],
}


def with_model(path, body):
    """Every other random model id becomes one that there is, or no request would come further than to a 404."""
    if dataclasses.is_dataclass(body) and hasattr(body, "content_types"):
        # A form whose files have types of their own: its fields are one level down.
        return dataclasses.replace(body, body=with_model(path, body.body))
    models = next((known for end, known in MODELS.items() if path.endswith(end)), None)
    model = body.get("model") if isinstance(body, dict) else None
    if models is None or not isinstance(model, str) or not 1 <= len(model) <= 256 or len(model) % 2 == 0:
        return body
    return {**body, "model": models[len(model) // 2 % len(models)]}


@schemathesis.hook
def map_body(context, body):
    path = context.operation.path
    if path.endswith("/quotes") and isinstance(body, dict) and isinstance(body.get("path"), str):
        return {**body, "body": with_model(body["path"], body.get("body"))}
    return with_model(path, body)


@schemathesis.hook
def before_call(context, case, kwargs):
    """The key that all is tried with is neither revoked nor limited: after that, everything would be a 401."""
    if case.path_parameters and case.path_parameters.get("id") == OWN_KEY:
        case.path_parameters["id"] = NO_KEY
