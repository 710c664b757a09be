// Runs in the page behind the menu entry. Calls to the app go through the gateway's proxy, which
// tells the app who the user is.
const app = document.currentScript.src.replace(/\/js\/hello\.js.*$/, '');

async function greet() {
  const { text } = await (await fetch(`${app}/api/greeting`)).json();
  const paragraph = document.createElement('p');
  paragraph.className = 'hello';
  paragraph.textContent = text;
  document.getElementById('content').append(paragraph);
}

void greet();
