print("mero")
