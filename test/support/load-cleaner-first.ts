// sanitize-html is CommonJS and requires htmlparser2, which is not. jest refuses that while it is
// still linking htmlparser2 for an importer of its own, so the pair is loaded before any spec.
import 'sanitize-html';
