// Reads requests with Node's `http`. Each line of the input is a request in hexadecimal digits.
//
// The output has a line for each: `refused`, or the method, the target, the version, the fields and the body.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Duplex } from "node:stream";

const server = createServer({ maxHeaderSize: 1 << 16, requireHostHeader: false });

server.on("clientError", (_, socket) => socket.answer("refused"));
server.on("request", (request, response) => {
  const body = [];
  request.on("data", (piece) => body.push(piece));
  request.on("end", () => {
    const fields = [];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      const name = request.rawHeaders[at].toLowerCase();
      const value = request.rawHeaders[at + 1];
      // h11 writes the coding of a body in lower-case letters, so this output does the same.
      const same = name === "transfer-encoding" ? value.toLowerCase() : value;
      fields.push(`${name}=${Buffer.from(same, "latin1").toString("hex")}`);
    }
    const words = [request.method, request.url, request.httpVersion, ...fields];
    request.socket.answer([...words, `body=${Buffer.concat(body).toString("hex")}`].join(" "));
    response.end();
  });
});

function reading(bytes) {
  return new Promise((resolve) => {
    const socket = new Duplex({ read() {}, write: (_, encoding, done) => done() });
    socket.answer = (line) => {
      resolve(line);
      socket.destroy();
    };
    // A connection that ends without a request.
    socket.on("close", () => resolve("refused"));
    server.emit("connection", socket);
    socket.push(bytes);
    socket.push(null);
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(await reading(Buffer.from(line, "hex")));
}
