"""LlamaIndex's embeddings of PyPI against one root of the gateway; prints a JSON line for each thing tried."""
import asyncio
import json
import os

from llama_index.embeddings.openai import OpenAIEmbedding

TEXTS = ["A toll gate", "A bridge"]


def embedding(**options):
    # The name of a model that LlamaIndex doesn't know is given beside the one that it insists on.
    return OpenAIEmbedding(
        model_name="sim-embedding",
        api_base=os.environ["SDK_BASE_URL"],
        api_key=options.pop("key", os.environ["SDK_KEY"]),
        max_retries=0,
        **options,
    )


def tell(name, **facts):
    print(json.dumps({"name": name, **facts}), flush=True)


def texts():
    model = embedding(dimensions=64)
    vectors = model.get_text_embedding_batch(TEXTS)
    query = model.get_query_embedding(TEXTS[0])
    again = asyncio.run(model.aget_text_embedding(TEXTS[1]))
    tell("texts", lengths=[len(vector) for vector in vectors], differ=vectors[0] != vectors[1])
    tell("query", same=near(query, vectors[0]))
    tell("async", same=near(again, vectors[1]))


def near(one, other):
    return all(abs(a - b) < 1e-6 for a, b in zip(one, other, strict=True))


def refused():
    try:
        embedding(key="sk-tg-wrong").get_text_embedding("Hello")
    except Exception as error:
        tell("wrong key", error=type(error).__name__, status=getattr(error, "status_code", None))


texts()
refused()
