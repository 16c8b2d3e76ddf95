import { render } from 'preact';
import { App } from './app/app.tsx';
import { startPage } from './app/start-page.ts';
import './style/tokens.css';
import './style/components.css';
import './style/page.css';
import './style/alerts.css';
import './style/production.css';
import './style/print.css';

const root = document.getElementById('page');
if (root !== null) {
  // The text for old browsers is in the way.
  root.replaceChildren();
  startPage();
  render(<App />, root);
}
