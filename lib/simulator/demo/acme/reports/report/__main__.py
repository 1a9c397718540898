print("Coverage: 84 %")
