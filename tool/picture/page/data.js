// What the tool wrote into the page: the model as JSON, numbers as base64.
//
// The numbers are, one after the other, little-endian:
//   F doubles       times of the frames
//   C doubles       first values of the columns
//   C x F floats    values minus the first, column by column
//   poses           frame by frame, one whole number per channel: second differences in time,
//                   0 -1 1 -2 2 as 0 1 2 3 4, seven bits to a byte, lowest first
// Channels of a body: x y z (z not for planar ones) from model.origin in units of model.quantum,
// then its quaternion in units of 2^-24 (planar: e0 and e3 only; points: none).

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function decodePoses(bytes, at, frames, channels) {
  const q = new Int32Array(frames * channels);
  for (let i = 0; i < q.length; i++) {
    let b = bytes[at++], z = b & 127, unit = 128;
    while (b > 127) {
      b = bytes[at++];
      z += (b & 127) * unit;
      unit *= 128;
    }
    const d = z % 2 ? -(z + 1) / 2 : z / 2;
    q[i] = d + (i < channels ? 0 : i < 2 * channels ? q[i - channels]
                                                    : 2 * q[i - channels] - q[i - 2 * channels]);
  }
  return q;
}

const CHANNELS = {rigid: 7, planar: 4, point: 3};

function readData(model, text) {
  const bytes = bytesOf(text), F = model.frames, C = model.columns.length;
  const t = new Float64Array(bytes.buffer, bytes.byteOffset, F);
  const first = new Float64Array(bytes.buffer, bytes.byteOffset + 8 * F, C);
  const change = new Float32Array(bytes.buffer, bytes.byteOffset + 8 * (F + C), C * F);
  let channels = 0;
  const channel = model.bodies.map(b => (channels += CHANNELS[b.type]) - CHANNELS[b.type]);
  const poses = decodePoses(bytes, 8 * (F + C) + 4 * C * F, F, channels);
  const index = new Map(model.columns.map((c, i) => [c.name, i]));
  const value = (column, frame) => first[column] + change[column * F + frame];
  const found = new Map();
  const largest = column => {
    if (!found.has(column)) {
      let most = 0;
      for (let i = 0; i < F; i++) most = Math.max(most, Math.abs(value(column, i)) || 0);
      found.set(column, most);
    }
    return found.get(column);
  };
  return {t, frames: F, channels, channel, poses, index, value, largest};
}

// the last frame at or before a time, and how far it lies towards the next: 0 to 1
function frameAt(data, time) {
  let low = 0, high = data.frames - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (data.t[middle] <= time) low = middle; else high = middle;
  }
  if (data.frames > 1 && data.t[high] <= time) return {frame: high, part: 0};
  const span = data.t[high] - data.t[low];
  return {frame: low, part: span > 0 ? Math.min(1, Math.max(0, (time - data.t[low]) / span)) : 0};
}

function valueAt(data, column, where) {
  const a = data.value(column, where.frame);
  if (where.part === 0) return a;
  return a + where.part * (data.value(column, where.frame + 1) - a);
}

// The same for people: a value that is rounding beside the largest of its column is 0.
function shownAt(data, column, where) {
  const x = valueAt(data, column, where);
  return Math.abs(x) < 1e-12 * data.largest(column) ? 0 : x;
}

// Frames of all bodies at a time: positions from model.origin and rotation matrices by rows. The
// last body is the ground.
function newPose(model) {
  const n = model.bodies.length + 1;
  const pose = {x: new Float64Array(3 * n), R: new Float64Array(9 * n), ground: n - 1};
  for (let i = 0; i < 3; i++) {
    pose.x[3 * pose.ground + i] = -model.origin[i];
    pose.R[9 * pose.ground + 4 * i] = 1;
  }
  return pose;
}

function setRotation(R, at, e0, e1, e2, e3) {
  const s = 2 / (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3);
  R[at] = 1 - s * (e2 * e2 + e3 * e3);
  R[at + 1] = s * (e1 * e2 - e0 * e3);
  R[at + 2] = s * (e1 * e3 + e0 * e2);
  R[at + 3] = s * (e1 * e2 + e0 * e3);
  R[at + 4] = 1 - s * (e1 * e1 + e3 * e3);
  R[at + 5] = s * (e2 * e3 - e0 * e1);
  R[at + 6] = s * (e1 * e3 - e0 * e2);
  R[at + 7] = s * (e2 * e3 + e0 * e1);
  R[at + 8] = 1 - s * (e1 * e1 + e2 * e2);
}

function poseBody(model, data, where, body, pose) {
  const type = model.bodies[body].type, q = data.poses, part = where.part;
  const at = where.frame * data.channels + data.channel[body];
  const next = part === 0 ? at : at + data.channels;
  const get = i => q[at + i] + part * (q[next + i] - q[at + i]);
  const planar = type === "planar";
  pose.x[3 * body] = get(0) * model.quantum;
  pose.x[3 * body + 1] = get(1) * model.quantum;
  pose.x[3 * body + 2] = planar ? -model.origin[2] : get(2) * model.quantum;
  if (planar) setRotation(pose.R, 9 * body, get(2), 0, 0, get(3));
  else if (type === "point") setRotation(pose.R, 9 * body, 1, 0, 0, 0);
  else setRotation(pose.R, 9 * body, get(3), get(4), get(5), get(6));
}

function poseAll(model, data, where, pose) {
  for (let b = 0; b < model.bodies.length; b++) poseBody(model, data, where, b, pose);
}

// a point of a body (-1: the ground) in the scene, whose origin is model.origin
function pointOf(pose, body, s, out) {
  const b = body < 0 ? pose.ground : body, R = pose.R, x = pose.x;
  for (let i = 0; i < 3; i++) {
    const r = 9 * b + 3 * i;
    out[i] = x[3 * b + i] + R[r] * s[0] + R[r + 1] * s[1] + R[r + 2] * s[2];
  }
  return out;
}
