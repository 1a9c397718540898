def on_page_markdown(markdown, **_):
    return markdown.replace("http://acme.example", "https://acme.example")
