// A draft in a link: its text, compressed, in the letters that a fragment may have.

/** Characters of a link that browsers, mail and chats still pass on whole. */
const MOST = 60_000;
/** Characters of a text that are read back: a short link can say a long text. */
const LARGEST = 4_000_000;

async function through(bytes, stream, most) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts).arrayBuffer();
    size += value.length;
    if (size > most) {
      await reader.cancel();
      throw new Error("too large");
    }
    parts.push(value);
  }
}

/** A text as letters. Throws a sentence where that is too long. */
export async function pack(text) {
  const bytes = new Uint8Array(await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"), LARGEST));
  let letters = "";
  for (let at = 0; at < bytes.length; at += 0x8000) letters += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  letters = btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (letters.length > MOST) {
    throw `The link would have ${letters.length} characters, and programs that pass links on cut them after ${MOST} or fewer. Send the files instead.`;
  }
  return letters;
}

/** The text that letters say. Throws a sentence where they say none. */
export async function unpack(letters) {
  if (letters.length > 2 * MOST) throw `The link is too long to be one of a draft: ${letters.length} characters.`;
  try {
    const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw"), LARGEST));
  } catch {
    throw "The link is damaged: a part of it is missing or changed. Ask for it again, or for the files.";
  }
}
