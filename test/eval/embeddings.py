"""Serves all-MiniLM-L6-v2 as OpenAI's `POST /v1/embeddings`, until the input ends. Prints its address on a line of its own.

    python embeddings.py MODEL.onnx TOKENIZER.json [PORT]
"""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy
import onnxruntime
from tokenizers import Tokenizer

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options)
tokenizer = Tokenizer.from_file(sys.argv[2])
tokenizer.enable_truncation(256)
tokenizer.enable_padding()
names = {each.name for each in session.get_inputs()}


def embed(texts):
    encoded = tokenizer.encode_batch(texts)
    mask = numpy.array([each.attention_mask for each in encoded], dtype=numpy.int64)
    fed = {
        "input_ids": numpy.array([each.ids for each in encoded], dtype=numpy.int64),
        "attention_mask": mask,
        "token_type_ids": numpy.zeros_like(mask),
    }
    tokens = session.run(None, {name: fed[name] for name in names})[0]
    if tokens.ndim == 3:  # the mean of the tokens that are no padding
        tokens = (tokens * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
    return tokens / numpy.linalg.norm(tokens, axis=1, keepdims=True)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        data = [{"index": at, "embedding": vector.tolist()} for at, vector in enumerate(embed(texts))]
        body = json.dumps({"model": asked.get("model"), "data": data}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", int((sys.argv[3:] + ["0"])[0])), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}", flush=True)
sys.stdin.read()
