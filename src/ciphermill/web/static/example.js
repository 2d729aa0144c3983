// Copyright Ciphermill contributors.
// SPDX-License-Identifier: Apache-2.0
// A picture with areas of one colour: a windmill.

/** Draw the example; gives a PNG. */
export function example() {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [960, 720];
  const pen = canvas.getContext("2d");
  const shape = (colour, ...points) => {
    pen.fillStyle = colour;
    pen.beginPath();
    points.forEach(([x, y]) => pen.lineTo(x, y));
    pen.fill();
  };
  const disc = (colour, x, y, radius) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
  };
  shape("#9fd3f0", [0, 0], [960, 0], [960, 720], [0, 720]);
  disc("#ffd75e", 170, 150, 70);
  [[640, 130], [700, 110], [760, 135]].forEach(([x, y]) => disc("#ffffff", x, y, 48));
  disc("#69a85c", 260, 1050, 520);
  disc("#4c8a49", 820, 1120, 560);
  shape("#7a4a2b", [390, 640], [430, 300], [530, 300], [570, 640]);
  shape("#b5484f", [415, 310], [480, 215], [545, 310]);
  shape("#2f2018", [450, 640], [450, 560], [510, 560], [510, 640]);
  disc("#ffe9b0", 480, 420, 24);
  pen.translate(480, 290);
  pen.rotate(0.45);
  for (let sail = 0; sail < 4; sail++, pen.rotate(Math.PI / 2)) {
    shape("#f4f1e8", [12, -22], [70, -262], [14, -262]);
    shape("#1c2430", [-6, 0], [-6, -270], [6, -270], [6, 0]);
  }
  disc("#1c2430", 0, 0, 18);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
