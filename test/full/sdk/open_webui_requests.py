"""
The requests of Open WebUI's voice and image edit, sent by the HTTP clients that it sends them with: speech and edits by
aiohttp, transcripts by requests. Prints a JSON line for each answer.
"""
import asyncio
import io
import json
import os
import uuid

import aiohttp
import requests

BASE_URL = os.environ["SDK_BASE_URL"]
BEARER = {"Authorization": f"Bearer {os.environ['SDK_KEY']}"}
# As it forwards its users, where an operator lets it.
USER = {
    "X-OpenWebUI-User-Name": "Ada%20L",
    "X-OpenWebUI-User-Id": str(uuid.uuid4()),
    "X-OpenWebUI-User-Email": "ada@example.com",
    "X-OpenWebUI-User-Role": "user",
}


def tell(name, **facts):
    print(json.dumps({"name": name, **facts}), flush=True)


async def speech(session):
    body = {"input": "The gate is open.", "voice": "alloy", "model": "sim-speech"}
    headers = {"Content-Type": "application/json", **BEARER, **USER}
    async with session.post(url=f"{BASE_URL}/audio/speech", json=body, headers=headers) as answer:
        audio = await answer.read()
        tell("speech", status=answer.status, type=answer.headers["Content-Type"], bytes=len(audio))


def transcription(path, language=None):
    """The file has a name and no type, and its name is a random one with the ending of what was recorded."""
    fields = {"model": "sim-transcription", **({"language": language} if language else {})}
    name = f"{uuid.uuid4()}{os.path.splitext(path)[1]}"
    with open(path, "rb") as file:
        answer = requests.post(
            url=f"{BASE_URL}/audio/transcriptions",
            headers={**BEARER, **USER},
            files={"file": (name, file)},
            data=fields,
            timeout=60,
        )
    tell(os.path.basename(path), status=answer.status_code, text=answer.json().get("text"))


async def edit(session, images):
    """One image is called image, several are called image[]; what is asked for besides is text."""
    form = aiohttp.FormData()
    fields = {"model": "sim-image", "prompt": "Fog", "n": 1, "size": "1024x1024", "response_format": "b64_json"}
    for key, value in fields.items():
        form.add_field(key, str(value))
    for image in images:
        form.add_field(
            "image" if len(images) == 1 else "image[]",
            io.BytesIO(image),
            filename=f"{uuid.uuid4()}.png",
            content_type="image/png",
        )
    async with session.post(url=f"{BASE_URL}/images/edits", headers={**BEARER, **USER}, data=form) as answer:
        body = await answer.json(content_type=None)
        made = [item.get("b64_json", "")[:8] for item in body.get("data", [])]
        tell(f"edit of {len(images)}", status=answer.status, made=made)


async def main():
    with open(os.environ["SDK_IMAGE"], "rb") as file:
        image = file.read()
    async with aiohttp.ClientSession() as session:
        await speech(session)
        await edit(session, [image])
        await edit(session, [image, image])
    for path in os.environ["SDK_AUDIO"].split(":"):
        transcription(path)
        transcription(path, "en")


asyncio.run(main())
