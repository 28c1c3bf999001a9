// Prints, as JSON, what each of some files weighs: raw, and compressed as hosts compress.
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const weights = JSON.parse(process.argv[2]).map((path) => {
  const bytes = readFileSync(path);
  return { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, brotli: brotliCompressSync(bytes).length };
});
console.log(JSON.stringify(weights));
