/**
 * Mode of the data folder when it is created. As root, others may pass through it: the embedded database
 * runs as another user. An existing folder keeps its rights, which `gatefold doctor` reports.
 */
export function dataFolderMode(): number {
  return process.getuid?.() === 0 ? 0o711 : 0o700;
}
