"""What goes out: alerts and corrections to targets, signed by HTTP or by mail, each target at its own pace (option notify)."""
