"""Serves a GGUF file by llama.cpp's own HTTP server, until the input ends. Prints its address on a line of its own.

    python serve.py MODEL.gguf [THREADS [CONTEXT [PORT]]]
"""
import sys

import xllamacpp

model, threads, context, port = (sys.argv[1:] + ["2", "8192", "0"][len(sys.argv) - 2 :])[:4]

params = xllamacpp.CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = int(context)
params.n_parallel = 1
params.n_gpu_layers = 0
params.cpuparams.n_threads = int(threads)
params.cpuparams_batch.n_threads = int(threads)
params.cache_ram_mib = 2048  # the beginnings of prompts in all notations
params.use_jinja = True
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
