#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the meshes of models/fan.yaml: stand.stl (text, in millimetres) and blades.obj (in metres)."""
import math
import os

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "meshes")


def lathe(profile, sides):
    """Quadrilaterals of a profile (radius, height) turned about z."""
    def at(p, k):
        a = 2 * math.pi * k / sides
        return (p[0] * math.cos(a), p[0] * math.sin(a), p[1])
    return [[at(a, k), at(a, k + 1), at(b, k + 1), at(b, k)]
            for a, b in zip(profile, profile[1:]) for k in range(sides)]


def stand():
    profile = [(0, 0), (120, 0), (120, 12), (100, 22), (18, 34), (12, 60), (12, 300), (0, 300)]
    with open(os.path.join(folder, "stand.stl"), "w") as to:
        to.write("solid stand\n")
        for a, b, c, d in lathe(profile, 24):
            for three in ((a, b, c), (a, c, d)):
                if len({tuple(round(x, 6) for x in p) for p in three}) < 3:
                    continue
                to.write("facet normal 0 0 0\nouter loop\n")
                for p in three:
                    to.write("vertex %.5g %.5g %.5g\n" % tuple(x if abs(x) > 1e-9 else 0 for x in p))
                to.write("endloop\nendfacet\n")
        to.write("endsolid stand\n")


def blades(count=4, rows=7, columns=5):
    """Blades that turn about x: twisted sheets with a thickness, and a hub."""
    vertices, faces = [], []

    def add(p):
        vertices.append(p)
        return len(vertices)

    for blade in range(count):
        turn = 2 * math.pi * blade / count
        sheets = []
        for side in (1, -1):
            sheet = []
            for i in range(rows):
                r = 0.02 + 0.13 * i / (rows - 1)
                wide = 0.03 + 0.075 * math.sin(math.pi * (0.15 + 0.72 * i / (rows - 1)))
                pitch = math.radians(40 - 18 * i / (rows - 1))
                line = []
                for j in range(columns):
                    s = (j / (columns - 1) - 0.5) * wide
                    thick = side * 0.0025 * (1 - (2 * j / (columns - 1) - 1) ** 2) ** 0.5
                    y, x = s * math.cos(pitch) - thick * math.sin(pitch), s * math.sin(pitch) + thick * math.cos(pitch)
                    line.append(add((x, r * math.sin(turn) + y * math.cos(turn), r * math.cos(turn) - y * math.sin(turn))))
                sheet.append(line)
            sheets.append(sheet)
        for sheet, forward in zip(sheets, (True, False)):
            for i in range(rows - 1):
                for j in range(columns - 1):
                    face = [sheet[i][j], sheet[i][j + 1], sheet[i + 1][j + 1], sheet[i + 1][j]]
                    faces.append(face if forward else face[::-1])
        for j in range(columns - 1):  # the tip
            faces.append([sheets[0][-1][j], sheets[0][-1][j + 1], sheets[1][-1][j + 1], sheets[1][-1][j]])
    hub = [(0, -0.03), (0.028, -0.03), (0.03, 0.005), (0.024, 0.022), (0.012, 0.03), (0, 0.032)]
    for face in lathe(hub, 16):
        faces.append([add((z, x, y)) for x, y, z in face])
    with open(os.path.join(folder, "blades.obj"), "w") as to:
        to.write("# blades of a fan, metres, axis x\no blades\n")
        for p in vertices:
            to.write("v %.5f %.5f %.5f\n" % p)
        for face in faces:
            to.write("f " + " ".join(map(str, face)) + "\n")


if __name__ == "__main__":
    os.makedirs(folder, exist_ok=True)
    stand()
    blades()
