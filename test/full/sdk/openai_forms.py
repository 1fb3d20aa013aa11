"""Image edits, variations, videos, files and batches by the openai package of PyPI; prints a JSON line for each thing tried."""
import base64
import json
import os
import time

import openai

IMAGE = ("gate.png", base64.b64decode(os.environ["SDK_IMAGE"]))
MASK = ("mask.png", base64.b64decode(os.environ["SDK_MASK"]))
# The second root answers images at once: an SDK that reads `data` has to wait.
client = openai.OpenAI(
    base_url=os.environ["SDK_BASE_URL"], api_key=os.environ["SDK_KEY"], default_headers={"Prefer": "wait=60"}
)


def tell(name, **facts):
    print(json.dumps({"name": name, **facts}), flush=True)


edited = client.images.edit(model="sim-image", prompt="Fog", image=IMAGE, mask=MASK, n=2, size="1024x1024")
tell("edit", count=len(edited.data), is_link=edited.data[0].url.startswith("http"))
several = client.images.edit(
    model="sim-image", prompt="Fog", image=[IMAGE, IMAGE], size="1024x1024", response_format="b64_json"
)
tell("several", begins=base64.b64decode(several.data[0].b64_json)[1:4].decode())
varied = client.images.create_variation(model="sim-image", image=IMAGE, size="1024x1024")
tell("variation", count=len(varied.data))

video = client.videos.create(model="sim-video-fast", prompt="Cars", seconds="5")
tell("created", object=video.object, status=video.status, seconds=video.seconds)
while video.status in ("queued", "in_progress"):
    time.sleep(0.2)
    video = client.videos.retrieve(video.id)
content = client.videos.download_content(video.id).read()
tell("completed", status=video.status, progress=video.progress, begins=content[4:8].decode())
with_image = client.videos.create(
    model="sim-video-fast", prompt="[sim:fail=no luck]", seconds="5", size="1280x720", input_reference=IMAGE
)
while with_image.status in ("queued", "in_progress"):
    time.sleep(0.2)
    with_image = client.videos.retrieve(with_image.id)
tell("failed", status=with_image.status, code=with_image.error.code, size=with_image.size)
ids = [one.id for one in client.videos.list(limit=1)]
tell("listed", is_newest_first=ids[:2] == [with_image.id, video.id])
deleted = client.videos.delete(video.id)
tell("deleted", deleted=deleted.deleted, object=deleted.object)
try:
    client.videos.retrieve(video.id)
except openai.NotFoundError as error:
    tell("gone", code=error.code)
try:
    client.videos.create(model="sim-video-fast", prompt="Cars", seconds="4")
except openai.BadRequestError as error:
    tell("refused", param=error.param)

file = client.files.create(
    file=("lines.jsonl", b"{}\n"), purpose="batch", expires_after={"anchor": "created_at", "seconds": 3600}
)
other = client.files.create(file=("notes.txt", b"x"), purpose="user_data")
tell(
    "file",
    bytes=file.bytes,
    filename=file.filename,
    seconds=file.expires_at - file.created_at,
    is_same=client.files.retrieve(file.id) == file,
    content=client.files.content(file.id).text,
)
ids = [one.id for one in client.files.list(limit=1)]
tell("files", is_newest_first=ids[:2] == [other.id, file.id])
client.files.delete(other.id)
deleted = client.files.delete(file.id)
tell("file deleted", deleted=deleted.deleted, object=deleted.object)
try:
    client.files.retrieve(file.id)
except openai.NotFoundError as error:
    tell("file gone", code=error.code)

line = {"custom_id": "a", "method": "POST", "url": "/v1/embeddings", "body": {"model": "sim-embedding", "input": "a"}}
lines = client.files.create(file=("lines.jsonl", json.dumps(line).encode()), purpose="batch")
batch = client.batches.create(input_file_id=lines.id, endpoint="/v1/embeddings", completion_window="24h")
while batch.status not in ("completed", "failed", "expired", "cancelled"):
    time.sleep(0.2)
    batch = client.batches.retrieve(batch.id)
output = json.loads(client.files.content(batch.output_file_id).text)
tell(
    "batch",
    status=batch.status,
    completed=batch.request_counts.completed,
    custom_id=output["custom_id"],
    is_first=next(iter(client.batches.list(limit=1))).id == batch.id,
)
try:
    client.batches.cancel(batch.id)
except openai.ConflictError as error:
    tell("batch over", code=error.code)
