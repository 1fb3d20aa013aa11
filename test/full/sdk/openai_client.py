"""The openai package of PyPI against one root of the gateway; prints a JSON line for each thing tried."""
import base64
import json
import os

import openai

BASE_URL = os.environ["SDK_BASE_URL"]
KEY = os.environ["SDK_KEY"]
HELLO = {"model": "sim-chat", "messages": [{"role": "user", "content": "Hello"}]}
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}


def client(key=KEY, **options):
    return openai.OpenAI(base_url=BASE_URL, api_key=key, **options)


def tell(name, **facts):
    print(json.dumps({"name": name, **facts}), flush=True)


def text():
    answer = client().chat.completions.create(**HELLO)
    tell("text", content=answer.choices[0].message.content, tokens=answer.usage.completion_tokens)


def stream(name, **options):
    content, usages = "", 0
    for chunk in client().chat.completions.create(**HELLO, stream=True, **options):
        content += (chunk.choices[0].delta.content or "") if chunk.choices else ""
        usages += chunk.usage is not None
    tell(name, content=content, usages=usages)


def vision():
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": os.environ["SDK_PIXEL"]}},
    ]
    answer = client().chat.completions.create(model="sim-chat", messages=[{"role": "user", "content": parts}])
    tell("vision", content=answer.choices[0].message.content)


def tools():
    messages = [{"role": "user", "content": "Use get_weather for Paris"}]
    first = client().chat.completions.create(model="sim-chat", messages=messages, tools=[TOOL])
    message = first.choices[0].message
    call = message.tool_calls[0]
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    second = client().chat.completions.create(model="sim-chat", messages=messages, tools=[TOOL])
    called = {"called": call.function.name, "names": list(json.loads(call.function.arguments))}
    tell("tools", **called, content=second.choices[0].message.content)


def json_mode():
    answer = client().chat.completions.create(**HELLO, response_format={"type": "json_object"})
    tell("json", is_object=isinstance(json.loads(answer.choices[0].message.content), dict))


def models():
    tell("models", ids=[model.id for model in client().models.list()])


def responses():
    answer = client().responses.create(model="sim-code", input="A function that adds")
    tell("response", status=answer.status, content=answer.output_text, tokens=answer.usage.output_tokens)
    with client().responses.stream(model="sim-code", input="A function that adds") as events:
        types = [event.type for event in events]
        final = events.get_final_response()
    tell("response stream", first=types[0], last=types[-1], content=final.output_text)


def embeddings():
    answer = client().embeddings.create(model="sim-embedding", input=["A toll gate", "A bridge"], dimensions=8)
    lengths = [len(item.embedding) for item in answer.data]
    tell("embeddings", lengths=lengths, tokens=answer.usage.total_tokens)


def audio():
    speech = client().audio.speech.create(model="sim-speech", voice="alloy", input="Good morning", response_format="wav")
    file = ("morning.wav", speech.content)
    said = client().audio.transcriptions.create(model="sim-transcription", file=file)
    translated = client().audio.translations.create(model="sim-transcription", file=file)
    tell("audio", begins=speech.content[:4].decode(), said=said.text != "", translated=translated.text != "")


def completions():
    answer = client().completions.create(model="sim-chat", prompt="Once upon a time", max_tokens=3)
    tell("completion", finish=answer.choices[0].finish_reason, tokens=answer.usage.completion_tokens)


def moderations():
    answer = client().moderations.create(input=["A toll gate", "I will murder you"])
    tell("moderations", flagged=[result.flagged for result in answer.results])


def image():
    answer = client().images.generate(
        model="sim-image",
        prompt="A toll gate",
        size="1024x1024",
        response_format="b64_json",
        extra_headers={"Prefer": "wait=60"},
    )
    tell("image", begins=base64.b64decode(answer.data[0].b64_json)[1:4].decode(), url=answer.data[0].url)


def refusal(name, key=KEY, headers=None, **changed):
    requests = []
    counting = openai.DefaultHttpxClient(event_hooks={"request": [requests.append]})
    try:
        client(key, http_client=counting).chat.completions.create(**{**HELLO, **changed}, extra_headers=headers)
        tell(name, error=None)
    except openai.APIStatusError as error:
        facts = {"status": error.status_code, "code": error.code, "param": error.param}
        tell(name, error=type(error).__name__, sent=len(requests), **facts)


text()
stream("stream")
stream("stream with usage", stream_options={"include_usage": True})
vision()
tools()
json_mode()
models()
responses()
embeddings()
audio()
completions()
moderations()
image()
refusal("wrong key", key="sk-tg-wrong")
refusal("unknown model", model="nothing")
refusal("bad value", temperature=9)
refusal("no balance", key=os.environ["SDK_POOR_KEY"])
refusal("spent", key=os.environ["SDK_SPENT_KEY"])
refusal("over the limit", key=os.environ["SDK_LIMITED_KEY"])
once = {"Idempotency-Key": "python" + BASE_URL[-6:].replace("/", "-")}
client().chat.completions.create(**HELLO, extra_headers=once)
refusal("key reused", headers=once, seed=1)
