// Runs in the page behind the menu entry. Calls to the app go through the gateway's proxy, which
// tells the app who the user is.
const script = document.currentScript ?? document.querySelector('script[src*="/js/hello"]');
const app = script.src.replace(/\/js\/hello\.js.*$/, '');

/**
 * What the app registered as initial state. Like `loadState` of the usual package, the host's part of
 * this gives a text; it is the JSON of the value, to be parsed by us.
 */
function initialState(key) {
  const input = document.getElementById(`initial-state-app_api-${key}`);
  const bytes = Uint8Array.from(atob(input?.value ?? ''), (character) => character.charCodeAt(0));
  return bytes.length === 0 ? null : JSON.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

function show(className, text) {
  const paragraph = document.createElement('p');
  paragraph.className = className;
  paragraph.textContent = text;
  document.getElementById('content').append(paragraph);
}

async function greet() {
  show('hello-state', initialState('greeting')?.text ?? '');
  // The file action leads here, with the files that were chosen.
  const fileIds = new URLSearchParams(location.search).get('fileIds');
  if (fileIds !== null) {
    show('hello-files', `Hello to the files ${fileIds.split(',').join(' and ')}!`);
  }
  const { text } = await (await fetch(`${app}/api/greeting`)).json();
  show('hello', text);
}

void greet();
