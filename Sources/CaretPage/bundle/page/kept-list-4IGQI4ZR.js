import{a,b,c}from"./chunk-ED7HP6EY.js";export{c as claim,a as describe,b as forget};
