// Only browsers without modules run this. They need not wait.
document.getElementById('old-browser').className = 'now';
