"""The openai package of PyPI meets a limit and tries again by itself; prints a JSON line for each thing tried."""
import json
import os

import openai

HELLO = {"model": "chat-one", "messages": [{"role": "user", "content": "Hello"}]}


def client():
    return openai.OpenAI(base_url=os.environ["SDK_BASE_URL"], api_key=os.environ["SDK_KEY"])


def tell(name, **facts):
    print(json.dumps({"name": name, **facts}), flush=True)


answer = client().chat.completions.create(**HELLO)
tell("limited", content=answer.choices[0].message.content)

content = ""
for chunk in client().chat.completions.create(**HELLO, stream=True):
    content += (chunk.choices[0].delta.content or "") if chunk.choices else ""
tell("limited stream", content=content)

for _ in range(2):
    answer = client().chat.completions.create(**HELLO, extra_headers={"Idempotency-Key": "python"})
    tell("keyed", content=answer.choices[0].message.content)
