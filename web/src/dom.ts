// Small helpers to make elements.
type Child = Node | string;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | ((event: any) => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (typeof value === 'boolean') element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const paths: Record<string, string> = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6 5h4v14H6zM14 5h4v14h-4z',
  next: 'M6 5v14l9-7zM16 5h2.5v14H16z',
  previous: 'M18 5v14l-9-7zM5.5 5H8v14H5.5z',
  loop: 'M7 7h9v3l4.5-4L16 2v3H5v7h2zm10 10H8v-3l-4.5 4L8 22v-3h11v-7h-2z',
  follow: 'M4 5v14l7-7zM11 5v14l7-7zM18 5h2.5v14H18z',
  fit: 'M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z',
  camera: 'M9 4 7.5 6H4v13h16V6h-3.500L15 4zm3 5a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  plot: 'M4 4h2v14h14v2H4zm4 11 4-6 3 3 4-7 1.700 1-5.400 9.500-3.200-3.200L9.700 16z',
  help: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm-1 14h2v2h-2zm3.600-7c0 2.500-2.600 2.700-2.600 5h-1.800c0-3.300 2.500-3.500 2.500-5 0-.9-.7-1.400-1.500-1.400-1 0-1.600.7-1.700 1.700H7.700C7.800 7 9.500 5.700 11.300 5.700c2 0 3.300 1.300 3.300 3.300z',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  stop: 'M6 6h12v12H6z',
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}

export function button(name: string, title: string, click: () => void): HTMLButtonElement {
  return make('button', { class: 'icon', id: name, title, 'aria-label': title, click }, icon(name));
}

export function setIcon(element: HTMLElement, name: string): void {
  element.replaceChildren(icon(name));
}
