// Makes the Excel workbook of openapi/connectors from the Power Query scripts: one query, which has
// the functions and the two settings inside. Run in the repository's root:
//
//   node internal/test/partners/connectors/workbook.mjs [FILE]
import fs from "node:fs/promises";
import workbooks from "@microsoft/connected-workbooks";

const folder = new URL("../../../../openapi/connectors/", import.meta.url);
const [walk, interviews] = await Promise.all(
  ["ClientIntelWalk", "interviews"].map((name) => fs.readFile(new URL(`powerquery/${name}.pq`, folder), "utf8")),
);
const address = '    Address = "https://clientintel.example.com",\n';
if (!walk.includes(address) || !interviews.startsWith("let\n")) throw new Error("the scripts have another form: change this program");
const indented = walk.replace(address + "\n", "").trimEnd().replaceAll("\n", "\n        ");
const query = `let
    // The service's address, and your key.
${address}    ClientIntelKey = "cik_your_key",

    ClientIntelWalk =
        ${indented},

${interviews.slice("let\n".length).trimEnd()}`;
const made = await workbooks.workbookManager.generateSingleQueryWorkbook(
  { queryName: "interviews", queryMashup: query, refreshOnOpen: false },
  undefined,
  { docProps: { title: "Interviews", createdBy: "clientintel", lastModifiedBy: "clientintel" } },
);
await fs.writeFile(process.argv[2] ?? new URL("excel/interviews.xlsx", folder), Buffer.from(await made.arrayBuffer()));
