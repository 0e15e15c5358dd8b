// The state of the view in the fragment of the address: a link shows what its sender saw.

function readFragment() {
  const state = {};
  for (const pair of location.hash.slice(1).split("&")) {
    const at = pair.indexOf("=");
    if (at <= 0) continue;
    try {
      state[pair.slice(0, at)] = decodeURIComponent(pair.slice(at + 1));
    } catch (e) { /* not ours */ }
  }
  return state;
}

function writeFragment(state) {
  const text = Object.entries(state).filter(([, v]) => v !== "" && v !== null && v !== undefined)
    .map(([k, v]) => k + "=" + encodeURIComponent(v).replace(/%2C/g, ",").replace(/%3B/g, ";")).join("&");
  history.replaceState(null, "", "#" + text);
}

const numbersOf = (text, n) => {
  const list = (text || "").split(",").map(Number);
  return list.length === n && list.every(isFinite) ? list : null;
};

// ---- files saved from the page -----------------------------------------------------------------

function download(blob, name) {
  const a = element("a", {href: URL.createObjectURL(blob), download: name});
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

// record what the canvas shows until stop() is called
function recorder(canvas, done) {
  const type = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"]
    .find(t => MediaRecorder.isTypeSupported(t));
  const parts = [], media = new MediaRecorder(canvas.captureStream(30), {mimeType: type, videoBitsPerSecond: 8e6});
  media.ondataavailable = e => parts.push(e.data);
  media.onstop = () => done(new Blob(parts, {type: "video/webm"}));
  media.start();
  return () => media.stop();
}
