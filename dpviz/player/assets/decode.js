// Payload → arrays. Layout: u32 header length | JSON header | blocks (some deflated, some as row differences).

import { say } from "../../words/say.js";

const ARRAY_TYPES = {
  u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array,
};

// What a page that stands alone holds in an element.
export function contentOf(id) {
  return Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (letter) => letter.charCodeAt(0));
}

export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Each row was stored as its exclusive or with the row before it.
function undoDifferences(array, rowLength) {
  for (let i = rowLength; i < array.length; i += 1) array[i] ^= array[i - rowLength];
}

async function decodeBlock(bytes, start, block) {
  const stored = bytes.slice(start + block.offset, start + block.offset + block.bytes);
  if (stored.length < block.bytes) throw new Error(say("player.part_missing"));
  const { buffer } = block.deflated ? await inflate(stored) : stored;
  const array = new ARRAY_TYPES[block.kind](buffer);
  const rowLength = block.shape.slice(1).reduce((product, size) => product * size, 1);
  if (block.differences) undoDifferences(array, rowLength);
  return { array, shape: block.shape };
}

function splitHeader(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { header, rest: bytes.subarray(4 + length) };
}

// Streamlit's message is an envelope (where the playhead belongs) around the payload.
export function openEnvelope(bytes) {
  const { header, rest } = splitHeader(bytes);
  return { opening: header, payload: rest };
}

export async function decodePayload(bytes) {
  const { header, rest } = splitHeader(bytes);
  const blocks = await Promise.all(header.blocks.map((block) => decodeBlock(rest, 0, block)));
  const panels = header.panels.map((panel) => {
    const arrays = {};
    const shapes = {};
    for (const [name, number] of Object.entries(panel.arrays)) {
      arrays[name] = blocks[number].array;
      shapes[name] = blocks[number].shape;
    }
    const ghosts = panel.ghosts.map((ghost) => ({
      name: ghost.name, nll: blocks[ghost.nll].array, n_clusters: blocks[ghost.k].array,
    }));
    return { ...panel, ...arrays, shapes, ghosts };
  });
  return { sync: header.sync, partial: header.partial, progress: header.progress, colors: header.colors, panels };
}
