import type { PDFDocumentLoadingTask } from 'pdfjs-dist';

/** Loads PDF.js and a file; large files are read in parts. */
export async function openPdf(address: string): Promise<PDFDocumentLoadingTask> {
  const [{ getDocument, GlobalWorkerOptions }, worker] = await Promise.all([
    import('pdfjs-dist'),
    import('pdfjs-dist/build/pdf.worker.min.mjs?url'),
  ]);
  GlobalWorkerOptions.workerSrc = worker.default;
  return getDocument({
    url: address,
    // Neither WebAssembly nor anything else that the policy of the pages forbids.
    useWasm: false,
    useWorkerFetch: false,
    // Fonts that the file does not bring.
    useSystemFonts: true,
    enableXfa: false,
  });
}
