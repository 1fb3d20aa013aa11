"""The openai package of PyPI reads streams that break off; prints a JSON line with what each raised."""
import json
import os

import openai

client = openai.OpenAI(base_url=os.environ["SDK_BASE_URL"], api_key=os.environ["SDK_KEY"], max_retries=0)


def raised(name, events):
    seen, error = 0, None
    try:
        for _ in events():
            seen += 1
    except Exception as caught:  # what it is, is what is asked
        error = caught
    kind = type(error).__module__.split(".")[0] if error else None
    print(json.dumps({"name": name, "seen": seen, "kind": kind, "message": str(error)}), flush=True)


hello = [{"role": "user", "content": "Hello"}]
raised("chat", lambda: client.chat.completions.create(model="chat-one", messages=hello, stream=True))
raised("responses", lambda: client.responses.create(model="code-one", input="Hello", stream=True))
