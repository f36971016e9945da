# Rubrica on Airflow's official image; one image serves every Airflow component and the GPU worker.
FROM apache/airflow:3.3.2-python3.11

# git for the sources, tesseract for RUBRICA_OCR=auto; the image has everything else.
USER root
RUN apt-get update \
    && apt-get install -y --no-install-recommends git tesseract-ocr tesseract-ocr-rus \
    && rm -rf /var/lib/apt/lists/*
USER airflow

WORKDIR /opt/rubrica
COPY --chown=airflow:0 requirements.txt constraints.txt pyproject.toml README.md LICENSE ./
RUN pip install --no-cache-dir -r requirements.txt -c constraints.txt

COPY --chown=airflow:0 rubrica rubrica
COPY --chown=airflow:0 sources sources
COPY --chown=airflow:0 extraction extraction
COPY --chown=airflow:0 chunking chunking
COPY --chown=airflow:0 training training
COPY --chown=airflow:0 indexing indexing
COPY --chown=airflow:0 monitoring monitoring
COPY --chown=airflow:0 pipeline pipeline
COPY --chown=airflow:0 dags dags
COPY --chown=airflow:0 plugins plugins
RUN pip install --no-cache-dir --no-deps -e .

ENV AIRFLOW__CORE__DAGS_FOLDER=/opt/rubrica/dags \
    AIRFLOW__CORE__PLUGINS_FOLDER=/opt/rubrica/plugins \
    RUBRICA_HOME=/var/lib/rubrica
USER root
# A new volume takes its owner from the folder that it is mounted on.
RUN mkdir -p /var/lib/rubrica /home/airflow/.cache/huggingface \
    && chown -R airflow:0 /var/lib/rubrica /home/airflow/.cache
USER airflow
