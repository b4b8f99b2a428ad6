"""dpviz: navigation; opening the app lands on Explore."""

from dpviz.ui.shell import navigation

navigation.run()
