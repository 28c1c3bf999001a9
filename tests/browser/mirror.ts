// The site behind a server of the test's own, which may send something else, and may go away.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export async function mirror(site: string, change = (_address: string, body: Buffer) => body) {
  const server = createServer(async (request, response) => {
    const answer = await fetch(new URL(request.url!.slice(1), site));
    const body = change(request.url!, Buffer.from(await answer.arrayBuffer()));
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type")!, "cache-control": "no-cache" }).end(body);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
