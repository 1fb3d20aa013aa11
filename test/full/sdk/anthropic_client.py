"""The anthropic package of PyPI against one root of the gateway; prints a JSON line for each thing tried."""
import json
import os

import anthropic

HELLO = {"model": "sim-chat", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}


def client(key=os.environ["SDK_KEY"]):
    return anthropic.Anthropic(base_url=os.environ["SDK_BASE_URL"], api_key=key, max_retries=0)


def report(name, **facts):
    print(json.dumps({"name": name, **facts}), flush=True)


def refused(name, key, **more):
    try:
        client(key).messages.create(**{**HELLO, **more})
    except anthropic.APIStatusError as error:
        report(name, kind=type(error).__name__, status=error.status_code, type=error.body["error"]["type"])


message = client().messages.create(**HELLO)
report("text", content=message.content[0].text, tokens=message.usage.output_tokens)
with client().messages.stream(**HELLO) as stream:
    text = "".join(stream.text_stream)
    report("stream", content=text, tokens=stream.get_final_message().usage.output_tokens)
counted = client().messages.count_tokens(model="sim-chat", messages=HELLO["messages"])
report("count", same=counted.input_tokens == message.usage.input_tokens)
report("models", ids=[model.id for model in client().models.list()])
refused("wrong key", "sk-tg-wrong")
refused("poor", os.environ["SDK_POOR_KEY"])
refused("limited", os.environ["SDK_LIMITED_KEY"])
refused("no model", os.environ["SDK_KEY"], model="none")
