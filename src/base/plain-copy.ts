/** Returns a deep copy of plain data. Values that cannot be copied (a function, a node) are left out rather than shared. */
export function plainCopy<Data>(data: Data): Data {
  try {
    return structuredClone(data);
  } catch {
    return JSON.parse(JSON.stringify(data)) as Data;
  }
}
