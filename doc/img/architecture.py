#!/usr/bin/env python3
# architecture.py: writes architecture.svg beside it
import os
boxes = [  # x, y, width, text, colour
    (20, 60, 190, "planner hooks|paths, programs, costs", "#e8e8e8"),
    (20, 170, 190, "GpuAgg, GpuSample|custom scan nodes", "#e8e8e8"),
    (20, 280, 190, "heap feed|visibility, buffer numbers", "#e8e8e8"),
    (290, 170, 150, "ipc|shared memory queues", "#d8e4f2"),
    (520, 170, 170, "device worker|one process", "#d5ece6"),
    (520, 280, 170, "cache|columns that stay", "#d5ece6"),
    (760, 110, 150, "cuda|GPU", "#f3ead0"),
    (760, 230, 150, "host|processor's cores", "#f3ead0"),
    (290, 390, 150, "shared_buffers|heap pages", "#d8e4f2")]
arrows = [(115, 120, 115, 168), (115, 230, 115, 278), (210, 200, 288, 200), (440, 200, 518, 200),
          (605, 230, 605, 278), (690, 190, 758, 145), (690, 210, 758, 250), (115, 340, 288, 415), (835, 290, 442, 425)]
out = ['<svg xmlns="http://www.w3.org/2000/svg" width="930" height="470" font-family="sans-serif" font-size="13">',
       '<defs><marker id="a" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto"><path d="M0,0 L9,4 L0,8 z"/></marker></defs>',
       '<rect width="930" height="470" fill="white"/>',
       '<text x="115" y="35" text-anchor="middle" font-weight="bold">each backend</text>',
       '<text x="605" y="35" text-anchor="middle" font-weight="bold">worker process</text>']
for x, y, w, text, colour in boxes:
    name, what = text.split("|")
    out += [f'<rect x="{x}" y="{y}" width="{w}" height="60" rx="6" fill="{colour}" stroke="#666"/>',
            f'<text x="{x + w / 2}" y="{y + 26}" text-anchor="middle" font-weight="bold">{name}</text>',
            f'<text x="{x + w / 2}" y="{y + 45}" text-anchor="middle">{what}</text>']
for x, y, u, v in arrows:
    out.append(f'<line x1="{x}" y1="{y}" x2="{u}" y2="{v}" stroke="#333" marker-end="url(#a)"/>')
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "architecture.svg"), "w") as file:
    file.write("\n".join(out + ["</svg>", ""]))
