// One element of the array in files.c: the file at the path FILE, with the name NAME. Without FILE, NAME is also the
// path. There is no `#pragma once`, because files.c includes this once for each file. `sizeof` needs the second
// `#embed`, which adds no bytes to the program.
#ifndef FILE
#define FILE NAME
#endif
{
    NAME,
    (const unsigned char[]){
#embed FILE
    },
    sizeof (const unsigned char[]){
#embed FILE
    },
},
#undef NAME
#undef FILE
