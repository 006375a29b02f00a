// Loaded before the page is drawn, so that it does not flash in another theme.
'use strict';
try {
  const theme = localStorage.getItem('theme');
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* storage is turned off */ }
