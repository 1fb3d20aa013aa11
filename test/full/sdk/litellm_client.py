"""The litellm package of PyPI against one root of the gateway; prints a JSON line for each thing tried."""
import json
import os

import litellm

BASE = os.environ["SDK_BASE_URL"]
MESSAGES = [{"role": "user", "content": "Hello"}]
# The name before the slash says which API is spoken; only Anthropic's has no version in its base.
FORMS = {"chat": ("openai/sim-chat", f"{BASE}/v1"), "messages": ("anthropic/sim-chat", BASE)}
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": PARAMETERS}}


def report(name, **facts):
    print(json.dumps({"name": name, **facts}), flush=True)


def ask(form, key=os.environ["SDK_KEY"], messages=MESSAGES, **options):
    model, base = FORMS[form]
    given = {"model": model, "api_base": base, "api_key": key, "messages": messages, "max_retries": 0, **options}
    return litellm.completion(**given)


def refused(form, name, key=os.environ["SDK_KEY"], **options):
    try:
        ask(form, key, **options)
    except Exception as error:
        report(f"{form}: {name}", kind=type(error).__name__, status=error.status_code, message=str(error))


for form in FORMS:
    whole = ask(form)
    report(f"{form}: text", content=whole.choices[0].message.content, tokens=whole.usage.completion_tokens)
    chunks = list(ask(form, stream=True, stream_options={"include_usage": True}))
    streamed = litellm.stream_chunk_builder(chunks)
    report(f"{form}: stream", content=streamed.choices[0].message.content, tokens=streamed.usage.completion_tokens)
    asked = [{"role": "user", "content": "Use get_weather for Paris"}]
    said = ask(form, messages=asked, tools=[TOOL]).choices[0].message
    result = {"role": "tool", "tool_call_id": said.tool_calls[0].id, "content": "sunny"}
    answer = ask(form, messages=[*asked, said.model_dump(), result], tools=[TOOL])
    report(f"{form}: tool", called=said.tool_calls[0].function.name, content=answer.choices[0].message.content)
    refused(form, "wrong key", "sk-tg-wrong")
    refused(form, "poor", os.environ["SDK_POOR_KEY"])
    refused(form, "spent", os.environ["SDK_SPENT_KEY"])
    refused(form, "no model", model=FORMS[form][0].replace("sim-chat", "none"))

response = litellm.responses(
    model=FORMS["chat"][0], api_base=FORMS["chat"][1], api_key=os.environ["SDK_KEY"], input="Hello"
)
report("responses: text", content=response.output[0].content[0].text)
