from flask import Flask, render_template

app = Flask(__name__)
PRODUCTS = [{"name": "Anvil", "cents": 12900}, {"name": "Rocket skates", "cents": 34900}]


@app.get("/")
def index() -> str:
    return render_template("index.html", products=PRODUCTS)
