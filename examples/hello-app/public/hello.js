// Runs in the page behind the menu entry. Calls to the app go through the gateway's proxy, which adds
// the user.
const script = document.currentScript ?? document.querySelector('script[src*="/js/hello"]');
const app = script.src.replace(/\/js\/hello\.js.*$/, '');

/**
 * Reads an initial state of the app. As with `loadState` of `@nextcloud/initial-state`, the stored
 * value is a string that contains the JSON of the state.
 */
function initialState(key) {
  const input = document.getElementById(`initial-state-app_api-${key}`);
  const bytes = Uint8Array.from(atob(input?.value ?? ''), (character) => character.charCodeAt(0));
  return bytes.length === 0 ? null : JSON.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

const main = document.createElement('main');
document.getElementById('content').append(main);

function show(className, text, tag = 'p') {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  main.append(element);
}

async function greet() {
  show('hello-state', initialState('greeting')?.text ?? '');
  // The file action redirects here with the selected files.
  const fileIds = new URLSearchParams(location.search).get('fileIds');
  if (fileIds !== null) {
    show('hello-files', `Hello to the files ${fileIds.split(',').join(' and ')}!`);
  }
  const { text } = await (await fetch(`${app}/api/greeting`)).json();
  show('hello', text, 'h1');
}

void greet();
