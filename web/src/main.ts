// The page: gets a run from its source, keeps what a person has chosen, and shows it.
import './style.css';
import { App } from './app';
import { make } from './dom';
import { FileSource, ServerSource, type Source } from './source';

function source(): Source | null {
  const file = FileSource.open();
  if (file) return file;
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  return token ? new ServerSource(token) : null;
}

const from = source();
if (from) new App(from).start();
else
  document.body.append(
    make('div', { class: 'message', id: 'trouble' }, 'This address lacks its token. Open the whole link that `knead view` printed.'),
  );
